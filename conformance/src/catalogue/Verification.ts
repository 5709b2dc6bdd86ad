import { must, observe } from "./Rule.ts"

/** VER: verifying a credential. */
export const verification = [
  must("VER-01", "§2.2").byAnswers(
    "The verify response has the strings `eligibility` and `statusDetail`, a `correlationId` and a `requestId`."
  ),
  must("VER-02", "§2.2").byAnswers(
    "If the outcome has an `expiryDate`, it is a date in the form `YYYY-MM-DD`. (Otherwise: SIL-26.)"
  ),
  must("VER-03", "§2.2").byAnswers("`errorMessage` is a string or null."),
  must("VER-04", "§2.2").byAnswers("The response echoes the `correlationId` of the request."),
  must("VER-05", "§2.2").byAnswers("If the request has no `correlationId`, the server generates a new one each time."),
  must("VER-06", "§2.2 §7.1").byPair(
    "A request whose `correlationId` is the word `string` is a 4xx, and no verification starts."
  ),
  must("VER-07", "§2.2").byAnswers("`forceRefresh` is optional and may be `true` or `false`."),
  observe("VER-08", "§2.2").recorded("Whether the `requestId` of the response equals its `X-Request-Id`.", {
    beside: ["VER-01", "RID-07"]
  })
]
