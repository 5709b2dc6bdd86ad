import { NewerSurface } from "@wcs/api/NewerSurface"
import { Applicants } from "@wcs/domain/Applicants"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { collectionHandlers } from "./CollectionHandlers.ts"

export const layer = HttpApiBuilder.group(
  NewerSurface,
  "applicants",
  Effect.fn(function* (handlers) {
    const { create, list, patch, read, remove, replace } = collectionHandlers(yield* Applicants, "applicants")
    return handlers
      .handle("list", list)
      .handleRaw("create", create)
      .handle("read", read)
      .handleRaw("replace", replace)
      .handleRaw("patch", patch)
      .handle("remove", remove)
  })
)
