import { Context } from "effect"

/** Settings of verifications (DECISIONS.md#verification). All times in milliseconds. */
export const VerificationSettings = Context.Reference<{
  /** How long a call waits for the register before it answers that the verdict is pending. */
  readonly timeoutMillis: number
  /** Delays between attempts that the register did not answer. After the last one there is no verdict. */
  readonly retryDelaysMillis: ReadonlyArray<number>
}>("@wcs/domain/VerificationSettings", {
  defaultValue: () => ({ timeoutMillis: 5000, retryDelaysMillis: [10_000, 60_000, 300_000, 1_800_000] })
})
