import { resourcesOf } from "@wcs/api/Endpoints"
import { NewerSurface } from "@wcs/api/NewerSurface"

/** Every resource that a store must support: all that the contract lists. */
export const definitions = resourcesOf(NewerSurface)
