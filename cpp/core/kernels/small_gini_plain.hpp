// The Gini score of cuts in a node of at most 255 rows, for sixteen features at once. Included by plain.cpp in a
// namespace of its own.
//
// Every row has one byte for each feature, so one comparison of sixteen bytes says on which side of sixteen cuts a row
// lies. The rows are in order of class, so nobody looks at their labels:
//
//     feature         0   1   2  ...  15
//     threshold      [3 | 0 | 7 |    | 1]
//     class 0  row    2   1   5        0       below[feature] += code <= threshold
//              row    4   0   9        1
//     class 1  row    3   0   7        2       after each class:  inside  += below^2
//              row    1   2   6        1                          outside += (rows of the class - below)^2
//
// The best cut has the largest  inside / left + outside / right,  where left and right are the rows on both sides.
//
//     score = (inside * right + outside * left) / (left * right)
//
// `inside` is at most left^2 and `outside` at most right^2, so both parts of the fraction are whole numbers of at most
// 255^3 / 4 < 2^24. A float holds them exactly, and only the division rounds.
//
// A cut with fewer rows on one side than are asked for has a score of 0. Any other has a score of more than 0.

inline void small_gini(const SmallCuts& cuts, float* scores, float* best) {
    for (std::size_t lane = 0; lane < 16; ++lane) best[lane] = 0;
    for (std::size_t t = 0; t < cuts.count; ++t) {
        const std::uint8_t* const threshold = cuts.thresholds + 16 * t;
        std::uint16_t left[16] = {}, inside[16] = {}, outside[16] = {};
        const std::uint8_t* row = cuts.rows;
        for (std::size_t c = 0; c < cuts.classes; ++c) {
            std::uint8_t below[16] = {};
            for (const std::uint8_t* const end = row + cuts.class_rows[c]; row < end; ++row)
                for (std::size_t lane = 0; lane < 16; ++lane)
                    below[lane] = static_cast<std::uint8_t>(
                        below[lane] + (cuts.codes[16 * *row + lane] <= threshold[lane]));
            for (std::size_t lane = 0; lane < 16; ++lane) {
                const unsigned in = below[lane], out = cuts.class_rows[c] - in;
                left[lane] = static_cast<std::uint16_t>(left[lane] + in);
                inside[lane] = static_cast<std::uint16_t>(inside[lane] + in * in);
                outside[lane] = static_cast<std::uint16_t>(outside[lane] + out * out);
            }
        }
        for (std::size_t lane = 0; lane < 16; ++lane) {
            const float on_left = left[lane], on_right = static_cast<float>(cuts.row_count) - on_left;
            const float product = on_left * on_right;
            const float score =
                (inside[lane] * on_right + outside[lane] * on_left) / (product > 1 ? product : 1);
            const bool enough = on_left >= cuts.least_rows && on_right >= cuts.least_rows;
            scores[16 * t + lane] = enough ? score : 0;
            best[lane] = scores[16 * t + lane] > best[lane] ? scores[16 * t + lane] : best[lane];
        }
    }
}

/// The smallest and the largest code of each of sixteen features.
inline void small_ends(const std::uint8_t* codes, const std::uint8_t* rows, std::size_t row_count,
                       std::uint8_t* smallest, std::uint8_t* largest) {
    for (std::size_t lane = 0; lane < 16; ++lane) smallest[lane] = 255, largest[lane] = 0;
    for (std::size_t i = 0; i < row_count; ++i)
        for (std::size_t lane = 0; lane < 16; ++lane) {
            const std::uint8_t code = codes[16 * rows[i] + lane];
            smallest[lane] = code < smallest[lane] ? code : smallest[lane];
            largest[lane] = code > largest[lane] ? code : largest[lane];
        }
}
