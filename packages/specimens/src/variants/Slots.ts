import { isObject, type Json } from "@wcs/conformance/text/Json"
import { everywhere } from "../seams/Everywhere.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import { type Variant, variant } from "../Variant.ts"

/** Writes empty slots in another form. */
const emptySlots = (empty: Json) =>
  Rewrite.answers(
    {},
    Rewrite.mapJson(
      everywhere(({ owners, ...others }) =>
        isObject(owners)
          ? { ...others, owners: Object.fromEntries(Object.entries(owners).map(([key, id]) => [key, id ?? empty])) }
          : owners === undefined
            ? others
            : { ...others, owners }
      )
    )
  )

/** Forms of an empty owner slot (SIL-04). */
export const slotVariants: ReadonlyArray<Variant> = [
  variant("empty-slots-are-texts", ["SIL-04"]).rewrite(emptySlots("")),
  variant("empty-slots-are-objects", ["SIL-04"]).rewrite(emptySlots({})),
  variant("empty-slots-are-lists", ["SIL-04"]).rewrite(emptySlots([]))
]
