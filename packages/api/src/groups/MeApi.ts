import { WhoAmIDocument } from "@wcs/domain/user/WhoAmI"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { One } from "../Envelope.ts"
import { GuardOf, judgedWithin } from "../Guard.ts"
import { guarded } from "../Middleware.ts"
import { everyCall, wireErrors } from "../WireError.ts"

/** `/me`: the caller's account, privileges and bearer. */
export class MeApi extends guarded(
  HttpApiGroup.make("me").add(
    HttpApiEndpoint.get("read", "/me", {
      success: One(WhoAmIDocument.annotate({ identifier: "Me" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Read your own account")
      .annotate(GuardOf, judgedWithin)
  )
) {}
