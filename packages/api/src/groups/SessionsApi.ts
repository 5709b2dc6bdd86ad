import { SessionDocument } from "@wcs/domain/session/Sessions"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Many, One, ResourceId } from "../Envelope.ts"
import { GuardOf, judgedWithin } from "../Guard.ts"
import { issuedListParameters, readParameters } from "../ListParameters.ts"
import { guarded } from "../Middleware.ts"
import { everyCall, wireErrors } from "../WireError.ts"

const Session = SessionDocument.annotate({ identifier: "Session" })

/** `/sessions`: the caller's own logins. Access to other users' logins needs the privilege on sessions. */
export class SessionsApi extends guarded(
  HttpApiGroup.make("sessions").add(
    HttpApiEndpoint.get("list", "/sessions", {
      query: issuedListParameters,
      success: Many(Session),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, judgedWithin),
    HttpApiEndpoint.get("read", "/sessions/:id", {
      params: ResourceId,
      query: readParameters,
      success: One(Session),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, judgedWithin),
    HttpApiEndpoint.delete("remove", "/sessions/:id", {
      params: ResourceId,
      success: HttpApiSchema.NoContent,
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, judgedWithin)
  )
) {}
