import { Schema } from "effect"

/** Correlates a delivery with the call that caused it (§6): 1 to 128 characters of `[A-Za-z0-9._:-]`. */
export const CorrelationId = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9._:-]{1,128}$/u),
  // API consoles fill in this placeholder, so the caller has not chosen an id (§7.1, condition 8).
  Schema.makeFilter((text: string) => text !== "string" || 'must not be the literal "string"')
).annotate({ identifier: "CorrelationId", valueFormat: "1 to 128 characters (letters, digits, . _ : -)" })
