import { NewerSurface } from "@wcs/api/NewerSurface"
import { Workers } from "@wcs/domain/Workers"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { collectionHandlers } from "./CollectionHandlers.ts"

export const layer = HttpApiBuilder.group(
  NewerSurface,
  "workers",
  Effect.fn(function* (handlers) {
    const { create, list, patch, read, remove, replace } = collectionHandlers(yield* Workers, "workers")
    return handlers
      .handle("list", list)
      .handleRaw("create", create)
      .handle("read", read)
      .handleRaw("replace", replace)
      .handleRaw("patch", patch)
      .handle("remove", remove)
  })
)
