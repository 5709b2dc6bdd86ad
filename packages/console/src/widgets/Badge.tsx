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

/** The values of an enumeration as options, with their labels. */
export const optionsOf = <Value extends string>(
  values: ReadonlyArray<Value>
): ReadonlyArray<readonly [Value, string]> => values.map((value) => [value, wordsOf(value)])

/** A value of an enumeration, or `words` of its own with a sign that is not read aloud. */
export const Badge = ({
  sign,
  tone,
  value,
  words
}: { readonly sign?: string; readonly tone?: Tone } & (
  | { readonly value: string; readonly words?: undefined }
  | { readonly words: string; readonly value?: undefined }
)) => (
  <span class={`badge ${tone ?? tones[value?.toUpperCase() ?? ""] ?? "plain"}`}>
    {sign === undefined ? null : <span aria-hidden="true">{sign} </span>}
    {words ?? wordsOf(value)}
  </span>
)

/** Marks a deleted record in a list. */
export const DeletedBadge = ({ at }: { readonly at: string | undefined }) =>
  at === undefined ? null : <Badge value="DELETED" tone="bad" />
