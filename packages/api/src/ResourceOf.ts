import type { Resource } from "@wcs/domain/resource/Resource"
import { Context } from "effect"

/** The definition of the resources that an endpoint lists. */
export const ResourceOf = Context.Reference<Resource | undefined>("@wcs/api/ResourceOf", {
  defaultValue: () => undefined
})
