import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as AdminRoutes from "@wcs/admin/AdminRoutes"
import { DescribedServer } from "@wcs/admin/ServerDescription"
import { Effect, Layer } from "effect"
import { layerAdministration } from "../Serve.ts"
import { Settings } from "../Settings.ts"
import { describedBy } from "./Description.ts"

/** Runs admin commands in this process, on the store of the settings. */
export const layer = AdminRoutes.layerHere.pipe(
  Layer.provide(
    Layer.effect(
      DescribedServer,
      Settings.use((settings) => describedBy(Effect.succeed(settings)))
    )
  ),
  Layer.provide([layerAdministration, NodeHttpServer.layerHttpServices])
)
