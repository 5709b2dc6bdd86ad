import { isObject, type Json } from "@wcs/conformance/wire/Json"
import type { Variant } from "../Specimen.ts"
import { everywhere } from "../seams/Everywhere.ts"
import * as Rewrite from "../seams/Rewrite.ts"

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
  { name: "empty-slots-are-texts", about: ["SIL-04"], rewrite: emptySlots("") },
  { name: "empty-slots-are-objects", about: ["SIL-04"], rewrite: emptySlots({}) },
  { name: "empty-slots-are-lists", about: ["SIL-04"], rewrite: emptySlots([]) }
]
