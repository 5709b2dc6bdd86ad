/** Why something is left. */
export const residueReasons = [
  "no delete path in the profile",
  "the delete was refused",
  "made permanent by the specification",
  "may have been made"
] as const

/** Something that the run made, or may have made, and did not get rid of. */
export interface Residue {
  /** Its entity type. */
  readonly type: string
  /** The id, or the name where the id was never learnt. */
  readonly name: string
  readonly why: (typeof residueReasons)[number]
}
