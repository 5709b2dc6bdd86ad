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
