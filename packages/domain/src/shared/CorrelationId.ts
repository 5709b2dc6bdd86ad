import { Schema } from "effect"

/** What ties a delivery to the call that caused it (§6): 1 to 128 of `[A-Za-z0-9._:-]`. */
export const CorrelationId = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9._:-]{1,128}$/),
  // The placeholder that API consoles fill in: a caller who sends it has not chosen an id (§7.1, condition 8).
  Schema.makeFilter((text: string) => text !== "string" || 'must not be the literal "string"')
).annotate({ identifier: "CorrelationId", form: "1 to 128 of letters, digits and . _ : -" })
