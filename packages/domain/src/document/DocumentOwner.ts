/**
 * The record to which a document belongs. An answer of a worker's own page has documents until somebody approves it; then
 * they move to its credentials.
 */
export const documentOwnerTypes = ["credential", "answer"] as const
export type DocumentOwnerType = (typeof documentOwnerTypes)[number]

export interface DocumentOwner {
  readonly type: DocumentOwnerType
  readonly id: string
}

export const isSameOwner = (one: DocumentOwner, other: DocumentOwner): boolean =>
  one.type === other.type && one.id === other.id
