/** The verdicts, in the order of the filters. */
export const eligibilities = ["MAY_ENGAGE", "MAY_NOT_ENGAGE", "REVIEW_REQUIRED", "IN_PROGRESS", "ERROR"] as const
