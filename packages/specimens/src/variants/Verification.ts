import * as Answering from "../Answering.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import { asked, verified, verifying, withField } from "../seams/VerifySeams.ts"
import { type Variant, variant } from "../Variant.ts"

/** As in §2.2: the fields without an envelope. */
const flat = variant("verify-answers-are-flat", ["SIL-05"]).answers(
  verified,
  Rewrite.mapJson((body) => Rewrite.put(Rewrite.put(body, "data", undefined), "meta", undefined))
)

const fields = ["eligibility", "statusDetail", "expiryDate", "errorMessage", "correlationId", "requestId"]

/** In the envelope, like every other answer. */
const enveloped = variant("verify-answers-are-enveloped", ["SIL-05"]).answers(
  verified,
  Rewrite.mapJson((body) => fields.reduce((rest, field) => Rewrite.put(rest, field, undefined), body))
)

/** Other texts and ids, and no date without a new verification. */
const otherWords = variant("verifications-have-other-words", ["SIL-20", "SIL-26", "VER-02"]).rewrite(
  Rewrite.all(
    Rewrite.answers(verified, (answer, request) =>
      asked(request, "forceRefresh") === false ? withField(answer, "expiryDate", () => null) : answer
    ),
    Rewrite.answers(verified, (answer) => withField(answer, "eligibility", () => "cleared")),
    Rewrite.answers(verified, (answer) => withField(answer, "errorMessage", () => "")),
    Rewrite.answers(verified, (answer) => withField(answer, "requestId", () => "7c0f1f0e"))
  )
)

/** Rejections with other statuses. */
const unprocessable = variant("literal-correlation-id-is-unprocessable", ["SIL-02"]).answers(
  { ...verifying, status: 400 },
  (answer, request) =>
    asked(request, "correlationId") === "string"
      ? Answering.refusal(answer, 422, "UNPROCESSABLE", "It is a literal.")
      : answer
)

/** A verification is accepted and runs later. */
const accepted = variant("verify-is-accepted", ["VER-01", "VER-07"]).answers(verified, (answer) => ({
  ...answer,
  status: 202
}))

/** Other answers to verify. */
export const verificationVariants: ReadonlyArray<Variant> = [flat, enveloped, otherWords, unprocessable, accepted]
