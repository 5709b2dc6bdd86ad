/** The reasons why a resource remains. */
export const residueReasons = [
  "no delete path in the profile",
  "the delete was refused",
  "made permanent by the specification",
  "may have been made"
] as const

/** A resource that the run created, or may have created, and did not delete. */
export interface Residue {
  readonly type: string
  /** The id, or the name if the id is unknown. */
  readonly name: string
  readonly why: (typeof residueReasons)[number]
}
