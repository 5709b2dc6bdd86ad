import * as Invitation from "@wcs/domain/screening/Invitation"
import { Schema } from "effect"
import { parameter } from "../ListParameters.ts"
import { everyCall, wireErrors } from "../WireError.ts"

/** The optional body fields that recruitment checks and fetch requests share. */
export const askedOptionally = {
  message: Invitation.asked.message,
  expiryDays: Schema.optionalKey(Invitation.asked.expiryDays)
}

/** The query parameters that both lists share. */
export const invitationParameters = {
  status: parameter("Status as of today: INITIATED, SENT, IN_PROGRESS, COMPLETED, EXPIRED or CANCELLED."),
  expiringBefore: parameter("Expires before this date, YYYY-MM-DD.")
}

/** The errors of resend, remind and cancel, which have no body. */
export const actionErrors = [wireErrors.INVALID_ARGUMENT, wireErrors.UNPROCESSABLE, ...everyCall] as const

/** The OpenAPI descriptions of resend, remind and cancel. */
export const descriptions = {
  resend:
    "Records that the invitation was sent again and restarts the deadline. Reopens an expired one. The service sends no message; the caller does.",
  remind:
    "Records that the person was reminded. The deadline does not change. The service sends no message; the caller does.",
  cancel: "Withdraws the invitation. Repeated calls have no effect."
} as const satisfies Record<Invitation.Action, string>
