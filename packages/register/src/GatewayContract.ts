import { CalendarDate } from "@wcs/domain/shared/Instant"
import type { RegisterAnswer, RegisterQuestion } from "@wcs/domain/verification/Register"
import { statusDetails } from "@wcs/domain/verification/Verification"
import { Schema } from "effect"

const OptionalText = Schema.NullOr(Schema.String)

/** The body of a question. Every field is there; what is not known of the credential is null. */
export const Question = Schema.Struct({
  credentialType: Schema.String,
  jurisdiction: OptionalText,
  identifier: OptionalText,
  issueNumber: OptionalText,
  cardType: OptionalText,
  holder: Schema.Struct({
    firstName: OptionalText,
    middleName: OptionalText,
    lastName: OptionalText,
    birthDate: OptionalText
  })
})

/** What a gateway can say: a verdict, or that a person will decide. What went wrong is said by the status instead. */
export const saidDetails = [
  ...statusDetails.MAY_ENGAGE,
  ...statusDetails.MAY_NOT_ENGAGE,
  ...statusDetails.REVIEW_REQUIRED,
  "QUEUED_MANUAL"
] as const

/** The body of an answer; further fields are not looked at. */
export const Answer = Schema.Struct({
  statusDetail: Schema.Literals(saidDetails),
  expiryDate: Schema.optionalKey(Schema.NullOr(CalendarDate))
})

const encodeQuestion = Schema.encodeSync(Schema.fromJsonString(Question))

/** A question as it is sent. */
export const bodyOf = (question: RegisterQuestion): string => encodeQuestion(question)

/** Reads the bytes of an answer; what fails must not be shown, since it may repeat what was read. */
export const decodeAnswer = Schema.decodeUnknownEffect(Schema.fromJsonString(Answer))

/** What an answer means. */
export const meaningOf = ({ expiryDate, statusDetail }: typeof Answer.Type): RegisterAnswer =>
  statusDetail === "QUEUED_MANUAL"
    ? { _tag: "Queued" }
    : { _tag: "Found", statusDetail, expiryDate: expiryDate ?? null }
