import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as AdminRoutes from "@wcs/admin/AdminRoutes"
import { Effect, Layer } from "effect"

/** Answers commands, with the HTTP services of Node. */
export const handler = Effect.provide(AdminRoutes.handler, NodeHttpServer.layerHttpServices)

/** A client whose commands run in this process. */
export const layerHere = Layer.provide(AdminRoutes.layerHere, NodeHttpServer.layerHttpServices)
