import * as Api from "@wcs/api/Middleware"
import type { ResponseHeaders } from "@wcs/api/ResponseHeaders"
import type { RequestId } from "@wcs/domain/shared/RequestId"
import { type Context, Effect, Layer } from "effect"

/** The edge provides these services for every route. This layer only adds them to the types. */
export const layer: Layer.Layer<Api.Begin> = Layer.succeed(Api.Begin, (httpEffect) =>
  Effect.updateContext(
    httpEffect,
    (context: Context.Context<never>) => context as Context.Context<RequestId | ResponseHeaders>
  )
)
