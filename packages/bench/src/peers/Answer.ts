/** A response, apart from the headers that all responses have. */
export interface Answer {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The error envelope. */
export const refusal = (
  status: number,
  code: string,
  message: string,
  requestId: string,
  headers: Readonly<Record<string, string>> = {}
): Answer => ({ status, body: JSON.stringify({ error: { code, message, requestId } }), headers })

export const unauthorized: Answer = {
  status: 401,
  body: JSON.stringify({ message: "Unauthorized to perform this action" }),
  headers: { "www-authenticate": 'Bearer realm="wcs"' }
}

export const unknownPath = (requestId: string): Answer =>
  refusal(404, "NOT_FOUND", "There is nothing at this path.", requestId)

export const malformedId = (requestId: string): Answer =>
  refusal(400, "INVALID_ARGUMENT", "id: is no id of type credential.", requestId)

export const noCredential = (id: string, requestId: string): Answer =>
  refusal(404, "NOT_FOUND", `${id} was not found among the credentials.`, requestId)

/** The response to a request that the framework refused by itself, such as one with a body that is no JSON. */
export const refusalOf = (status: number, requestId: string): Answer => {
  switch (status) {
    case 400:
      return refusal(400, "BAD_REQUEST", "The body is not valid JSON.", requestId)
    case 404:
      return unknownPath(requestId)
    case 413:
      return refusal(413, "PAYLOAD_TOO_LARGE", "The body is larger than 1048576 bytes.", requestId)
    case 415:
      return refusal(415, "UNSUPPORTED_MEDIA_TYPE", "The Content-Type must be application/json.", requestId)
    default: {
      const message = "Internal error of the service. Try again later, or report the request id."
      return refusal(500, "INTERNAL", message, requestId)
    }
  }
}

export const unknownParameter = (name: string, requestId: string): Answer =>
  refusal(400, "INVALID_ARGUMENT", `${name.slice(0, 100)}: is no parameter of this call.`, requestId)
