import { DescribedServer } from "@wcs/admin/ServerDescription"
import * as Rules from "@wcs/domain/service/Rules"
import { Effect, Layer } from "effect"
import * as Deployment from "../Deployment.ts"
import { Settings } from "../Settings.ts"
import { requireStore } from "../stores/ExistingStore.ts"
import * as Stores from "../stores/Stores.ts"
import { layerHere } from "./CommandHandler.ts"
import { describedBy } from "./Description.ts"

const commands = layerHere.pipe(
  Layer.provide(
    Layer.effect(
      DescribedServer,
      Settings.use((settings) => describedBy(Effect.succeed(settings)))
    )
  ),
  Layer.provide(Deployment.administration({ rules: Rules.layer, stores: Stores.layer }))
)

/** Runs admin commands in this process, on the store of the settings. Fails if there is no store. */
export const layer = Layer.unwrap(Effect.as(requireStore, commands))
