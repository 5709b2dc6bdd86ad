import { at, isObject, type JsonObject, type JsonValue, type Path, put } from "@wcs/domain/shared/Json"
import type { Endpoint } from "../Endpoints.ts"

/** The fields that the server sets on every resource. */
const ofEveryResource: ReadonlyArray<Path> = [["id"], ["type"], ["createdAt"], ["updatedAt"]]

/** The place of the named schema of a body. */
const placeOf = (content: JsonValue | undefined): Path | undefined => {
  const reference = at(content, ["application/json", "schema", "$ref"])
  return typeof reference === "string" ? reference.split("/").slice(1) : undefined
}

const marked = (document: JsonObject, place: Path, fields: ReadonlyArray<Path>): JsonObject =>
  fields.reduce((rest, field) => {
    const property = [...place, ...field.flatMap((name) => ["properties", name])]
    const schema = at(rest, property)
    return isObject(schema) ? put(rest, [...property, "readOnly"], true) : rest
  }, document)

/**
 * Marks the fields that only the server sets (DECISIONS.md#resources): in the answers of each resource and in the bodies
 * that may repeat them.
 */
export const markReadOnly =
  (endpoints: ReadonlyArray<Endpoint>) =>
  (document: JsonObject): JsonObject =>
    endpoints.reduce((rest, { path, resource }) => {
      if (resource === undefined) return rest
      const page = placeOf(at(rest, ["paths", path, "get", "responses", "200", "content"]))
      const listed = at(rest, [...(page ?? []), "properties", "data", "items", "$ref"])
      const places = [
        ...(typeof listed === "string" ? [listed.split("/").slice(1)] : []),
        ...[
          placeOf(at(rest, ["paths", path, "post", "requestBody", "content"])),
          placeOf(at(rest, ["paths", `${path}/{id}`, "put", "requestBody", "content"]))
        ].flatMap((place) => (place === undefined ? [] : [place]))
      ]
      const fields = [...ofEveryResource, ...resource.computed]
      return places.reduce((all, place) => marked(all, place, fields), rest)
    }, document)
