import { type JsonObject, put } from "@wcs/domain/shared/Json"

/** Marks the request body of an operation as optional. */
export const withOptionalBody = (operation: JsonObject): JsonObject =>
  put(operation, ["requestBody", "required"], false)
