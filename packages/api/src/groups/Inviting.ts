import * as Invitation from "@wcs/domain/screening/Invitation"
import { Schema } from "effect"
import { parameter } from "../ListParameters.ts"
import { everyCall, wireErrors } from "../WireError.ts"

/** What is sent of what recruitment checks and fetch requests are alike in. */
export const askedOptionally = {
  message: Invitation.asked.message,
  expiryDays: Schema.optionalKey(Invitation.asked.expiryDays)
}

/** The query parameters that both lists take beside their own. */
export const invitationParameters = {
  status: parameter("As it reads today: INITIATED, SENT, IN_PROGRESS, COMPLETED, EXPIRED or CANCELLED."),
  expiringBefore: parameter("YYYY-MM-DD: those that are awaited until a day before this one.")
}

/** What resend, remind and cancel can answer beside their success; they take no body. */
export const actionErrors = [wireErrors.INVALID_ARGUMENT, wireErrors.UNPROCESSABLE, ...everyCall] as const

/** What resend, remind and cancel do, as the OpenAPI document says it. */
export const descriptions = {
  resend:
    "Keeps that the person was told of it now and counts its days anew from today; an expired one is open again. The service itself writes to nobody: whoever calls this does.",
  remind:
    "Keeps that the person was reminded of it now; its days stay as they are. The service itself writes to nobody: whoever calls this does.",
  cancel: "Awaits nothing of the person any more. To cancel it again changes nothing."
} as const satisfies Record<Invitation.Action, string>
