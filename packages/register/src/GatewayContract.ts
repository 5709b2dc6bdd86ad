import { conclusiveDetails } from "@wcs/domain/holding/Verification"
import { CalendarDate } from "@wcs/domain/shared/Instant"
import { comparable, type RegisterAnswer, type RegisterQuestion } from "@wcs/domain/verification/Register"
import { Schema } from "effect"

const OptionalText = Schema.NullOr(Schema.String)

/** The body of a query. Every field is present; unknown values are null. */
export const Question = Schema.Struct({
  credentialType: Schema.String,
  jurisdiction: OptionalText,
  identifier: OptionalText,
  issueNumber: OptionalText,
  cardType: OptionalText,
  expiryDate: OptionalText,
  holder: Schema.Struct({
    firstName: OptionalText,
    middleName: OptionalText,
    lastName: OptionalText,
    birthDate: OptionalText,
    otherNames: Schema.Array(Schema.Struct({ firstName: OptionalText, lastName: Schema.String }))
  }),
  issuingCountry: OptionalText
})

/** The status details that a gateway can answer. Faults are HTTP statuses instead. */
export const saidDetails = [...conclusiveDetails, "QUEUED_MANUAL"] as const

/** The body of an answer. Further fields are ignored. */
export const Answer = Schema.Struct({
  statusDetail: Schema.Literals(saidDetails),
  expiryDate: Schema.optionalKey(Schema.NullOr(CalendarDate)),
  matched: Schema.optionalKey(Schema.Array(Schema.Literals(comparable)))
})

const encodeQuestion = Schema.encodeSync(Schema.fromJsonString(Question))

/** The JSON of a query. */
export const bodyOf = (question: RegisterQuestion): string => encodeQuestion(question)

/** Decodes an answer. Do not show its failures, because they may repeat the answer. */
export const decodeAnswer = Schema.decodeUnknownEffect(Schema.fromJsonString(Answer))

/** The answer in the terms of the domain. */
export const meaningOf = ({ expiryDate, matched, statusDetail }: typeof Answer.Type): RegisterAnswer =>
  statusDetail === "QUEUED_MANUAL"
    ? { _tag: "Queued" }
    : { _tag: "Found", statusDetail, expiryDate: expiryDate ?? null, ...(matched === undefined ? {} : { matched }) }
