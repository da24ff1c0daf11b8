// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp.h>

int main(void) {
  const double matrix[] = {0, 1, 2, 3, 4, 5};
  double column[2] = {0, 0};
  tw_datatype* datatype = 0;
  tw_plan* plan = 0;
  const int made = tw_datatype_vector(2, 1, 3, tw_datatype_named(TW_DOUBLE), &datatype) == TW_SUCCESS &&
                   tw_plan_commit(datatype, &plan) == TW_SUCCESS;
  const int packed = made && tw_pack(&matrix[1], 1, plan, column, 0, 0) == TW_SUCCESS;
  tw_plan_free(plan);
  tw_datatype_free(datatype);
  return packed && column[0] == 1 && column[1] == 4 ? 0 : 1;
}
