import { ResourceHistory } from "@wcs/domain/crud/ResourceHistory"
import { Layer } from "effect"

/** A history that no test asks. */
export const noHistory = Layer.mock(ResourceHistory, {
  asOf: () => {
    throw new Error("the past was read")
  }
})
