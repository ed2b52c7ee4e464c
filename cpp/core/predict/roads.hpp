// The roads of a batch through an ensemble (see ensemble.hpp for which one is taken). They differ in time only.
#pragma once

#include "core/predict/ensemble.hpp"

namespace branchwork {

/// Each row down each tree, step by step: the road that all others must agree with.
void predict_plainly(const Ensemble& ensemble, const Batch& batch, int threads, const Pulse& pulse);

/// A few rows one by one, eight trees in flight.
void predict_few(const Ensemble& ensemble, const PackedEnsemble& packed, const Batch& batch,
                 const Pulse& pulse);

/// Small trees: ranks of a byte, multiplexers.
void predict_by_muxes(const Ensemble& ensemble, const PackedEnsemble& packed, const Batch& batch, int threads,
                      const Pulse& pulse);

/// Large trees: ranks of two bytes, many rows walking.
void predict_by_walks(const Ensemble& ensemble, const PackedEnsemble& packed, const Batch& batch, int threads,
                      const Pulse& pulse);

/// Few trees: many rows walking on the cells as they are.
void predict_raw(const Ensemble& ensemble, const PackedEnsemble& packed, const Batch& batch, int threads,
                 const Pulse& pulse);

}  // namespace branchwork
