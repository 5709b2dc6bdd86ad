import * as Api from "@wcs/api/Middleware"
import { ResponseHeaders } from "@wcs/api/ResponseHeaders"
import { RequestId } from "@wcs/domain/RequestId"
import { Context, Effect, Layer } from "effect"

/** The edge goes around every route, which the types of a contract's endpoints cannot see: this tells them. */
export const layer: Layer.Layer<Api.Begin> = Layer.succeed(Api.Begin, (httpEffect) =>
  Effect.contextWith((context: Context.Context<never>) =>
    httpEffect.pipe(
      Effect.provideService(RequestId, Context.getUnsafe(context, RequestId)),
      Effect.provideService(ResponseHeaders, Context.getUnsafe(context, ResponseHeaders))
    )
  )
)
