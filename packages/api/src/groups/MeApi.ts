import { WhoAmIDocument } from "@wcs/domain/user/WhoAmI"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { One } from "../Envelope.ts"
import { GuardOf, judgedWithin } from "../Guard.ts"
import { AnswerRefusals, Authenticate, Authorize, Begin, LimitRate, ResolveTenant } from "../Middleware.ts"
import { everyCall, wireErrors } from "../WireError.ts"

/** `/me`: the caller's account, privileges and bearer. */
export class MeApi extends HttpApiGroup.make("me")
  .add(
    HttpApiEndpoint.get("read", "/me", {
      success: One(WhoAmIDocument.annotate({ identifier: "Me" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Read your own account")
      .annotate(GuardOf, judgedWithin)
  )
  .middleware(AnswerRefusals)
  .middleware(Authorize)
  .middleware(LimitRate)
  .middleware(Authenticate)
  .middleware(ResolveTenant)
  .middleware(Begin) {}
