// The roads: functions that predict a batch with an ensemble. They give the same result and differ only in time; see
// ensemble.hpp for when each is taken.
#pragma once

#include "core/predict/ensemble.hpp"

namespace branchwork {

/// Sends each row down each tree, step by step. This is the road that all others must agree with.
void predict_plainly(const Ensemble& ensemble, const Batch& batch, int threads, const Pulse& pulse);

/// For a few rows: one by one, with eight trees interleaved.
void predict_few(const Ensemble& ensemble, const PackedEnsemble& packed, const Batch& batch,
                 const Pulse& pulse);

/// For small trees: ranks of one byte, then multiplexers.
void predict_by_muxes(const Ensemble& ensemble, const PackedEnsemble& packed, const Batch& batch, int threads,
                      const Pulse& pulse);

/// For large trees: ranks of two bytes, then walks of many rows at a time.
void predict_by_walks(const Ensemble& ensemble, const PackedEnsemble& packed, const Batch& batch, int threads,
                      const Pulse& pulse);

/// For few trees: walks of many rows at a time on the cells as they are.
void predict_raw(const Ensemble& ensemble, const PackedEnsemble& packed, const Batch& batch, int threads,
                 const Pulse& pulse);

}  // namespace branchwork
