import * as Invitation from "@wcs/domain/screening/Invitation"
import { Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { Definition } from "../CrudGroup.ts"
import { One, ResourceId } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { parameter } from "../ListParameters.ts"
import { comparesTag, TagsOf } from "../TagsOf.ts"
import { everyCall, wireErrors } from "../WireError.ts"

/** The optional body fields that recruitment checks and fetch requests share. */
export const askedOptionally = {
  message: Invitation.asked.message,
  expiryDays: Schema.optionalKey(Invitation.asked.expiryDays)
}

/** The query parameters that both lists share. */
export const invitationParameters = {
  status: parameter("The status today."),
  expiringBefore: parameter("Expires before this date.")
}

/** The errors of resend, remind and cancel, which have no body. */
const actionErrors = [
  wireErrors.INVALID_ARGUMENT,
  wireErrors.UNPROCESSABLE,
  wireErrors.PRECONDITION_FAILED,
  ...everyCall
] as const

/** The OpenAPI descriptions of resend, remind and cancel. */
const descriptions = {
  resend:
    "Records that the invitation was sent again and restarts the deadline. Reopens an expired one. " +
    "The service sends an e-mail if the organization has chosen it (`tellsOfRequests`). Otherwise the caller sends one.",
  remind:
    "Records that the person was reminded. The deadline does not change. " +
    "The service sends an e-mail if the organization has chosen it (`tellsOfRequests`). Otherwise the caller sends one.",
  cancel: "Withdraws the invitation. Repeated calls have no effect."
} as const satisfies Record<Invitation.Action, string>

/** Returns the endpoints of resend, remind and cancel. */
export const actionEndpoints = <const Path extends string, Document extends Schema.Top>(
  { collection, type }: Definition<Path>,
  document: Document,
  noun: string
) => {
  const action = <const Name extends Invitation.Action>(name: Name) =>
    HttpApiEndpoint.post(name, `/${collection}/:id/${name}`, {
      params: ResourceId,
      success: One(document),
      error: actionErrors
    })
      .annotate(GuardOf, guard(type, "UPDATE"))
      .annotate(TagsOf, comparesTag)
      .annotate(OpenApi.Description, descriptions[name])
  return {
    resend: action("resend").annotate(OpenApi.Summary, `Record that a ${noun} was sent again`),
    remind: action("remind").annotate(OpenApi.Summary, `Record a reminder of a ${noun}`),
    cancel: action("cancel")
  }
}
