import * as Api from "@wcs/api/Middleware"
import type { ResponseHeaders } from "@wcs/api/ResponseHeaders"
import type { RequestId } from "@wcs/domain/shared/RequestId"
import { type Context, Effect, Layer } from "effect"

/** The edge goes around every route, which the types of a contract's endpoints cannot see: this tells them. */
export const layer: Layer.Layer<Api.Begin> = Layer.succeed(Api.Begin, (httpEffect) =>
  Effect.updateContext(
    httpEffect,
    (context: Context.Context<never>) => context as Context.Context<RequestId | ResponseHeaders>
  )
)
