import { type JsonObject, put } from "@wcs/domain/shared/Json"

/** An operation of the OpenAPI document whose body may be left out. */
export const withOptionalBody = (operation: JsonObject): JsonObject =>
  put(operation, ["requestBody", "required"], false)
