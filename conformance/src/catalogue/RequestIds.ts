import { must } from "./Rule.ts"

/** RID: request ids. */
export const requestIds = [
  must("RID-01", "§7.1").byEveryExchange(
    "In an error in the envelope, `error.requestId` equals the `X-Request-Id` response header."
  ),
  must("RID-02", "§2.2").byEveryExchange(
    "Every body that ENV-01 judges has a non-empty string `meta.requestId`: single, list and bulk. (Whether it " +
      "equals the header: SIL-14.)"
  ),
  must("RID-03", "§7.1").byAnswers("The server never adopts the caller's `X-Request-Id` as its own request id."),
  must("RID-04", "§7.1").byAnswers(
    "A well-formed UUID in the caller's `X-Request-Id` is echoed in `X-Client-Request-Id`."
  ),
  must("RID-05", "§7.1").byAnswers("A ULID of 26 characters in the caller's `X-Request-Id` is echoed in the same way."),
  must("RID-06", "§7.1").byAnswers(
    "Any other value of the caller's `X-Request-Id` is ignored: it is not echoed, and the call proceeds."
  ),
  must("RID-07", "§7.1").byEveryExchange("Each response has its own request id."),
  must("RID-08", "§7.1").byAnswers("Errors echo the caller's request id as successes do.")
]
