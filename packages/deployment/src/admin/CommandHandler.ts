import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { clientOf } from "@wcs/admin/AdminRoutes"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import * as CellCommands from "../cells/CellCommands.ts"

/** Answers commands, with the HTTP services of Node. */
export const handler = Effect.provide(CellCommands.handler, NodeHttpServer.layerHttpServices)

/** A client whose commands run in this process. */
export const layerHere = Layer.effect(HttpClient.HttpClient, Effect.map(handler, clientOf))
