/** The meaning of a badge. Its text says the same, because color alone is not seen by everybody. */
export type Tone = "good" | "bad" | "wait" | "plain"

const tones: Readonly<Record<string, Tone>> = {
  MAY_ENGAGE: "good",
  PASS: "good",
  HIRED: "good",
  ACTIVE: "good",
  VALID: "good",
  DELIVERED: "good",
  MAY_NOT_ENGAGE: "bad",
  ERROR: "bad",
  FAIL: "bad",
  FAILED: "bad",
  DEAD: "bad",
  EXPIRED: "bad",
  TERMINATED: "bad",
  IN_PROGRESS: "wait",
  PENDING: "wait",
  RETRYING: "wait",
  REVIEW_REQUIRED: "wait",
  EXPIRES_SOON: "wait"
}

/** The label of a value of an enumeration: "may engage" for `MAY_ENGAGE`. */
export const wordsOf = (value: string): string => value.toLowerCase().replaceAll("_", " ")

export const Badge = ({ tone, value }: { readonly value: string; readonly tone?: Tone }) => (
  <span class={`badge ${tone ?? tones[value.toUpperCase()] ?? "plain"}`}>{wordsOf(value)}</span>
)

/** Marks a deleted record in a list. */
export const DeletedBadge = ({ at }: { readonly at: string | undefined }) =>
  at === undefined ? null : <Badge value="DELETED" tone="bad" />
