import { Schema } from "effect"

/** The codes of refused commands, with the status of each. */
export const refusalStatus = {
  INVALID_ARGUMENT: 400,
  NOT_FOUND: 404,
  DUPLICATE_ID: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNPROCESSABLE: 422,
  UNAVAILABLE: 503
} as const
export type RefusalCode = keyof typeof refusalStatus
export const RefusalCode = Schema.Literals(Object.keys(refusalStatus) as ReadonlyArray<RefusalCode>)

/** The command was refused. The message is one sentence for the operator. */
export class AdminRefused extends Schema.TaggedError<AdminRefused>()("AdminRefused", {
  code: RefusalCode,
  message: Schema.String
}) {}

const withCode = (code: RefusalCode) =>
  AdminRefused.check(Schema.makeFilter((refusal) => refusal.code === code)).annotate({
    httpApiStatus: refusalStatus[code]
  })

/** The refusals of every command, each with its status. */
export const refusals = RefusalCode.literals.map(withCode)
