/** The table of §7.1: the error statuses of the envelope and their codes. */
const codesByStatus: ReadonlyMap<number, ReadonlyArray<string>> = new Map([
  [400, ["INVALID_ARGUMENT", "BAD_REQUEST", "INVALID_URN"]],
  [403, ["FORBIDDEN"]],
  [404, ["NOT_FOUND"]],
  [409, ["ALREADY_LINKED", "OWNER_MISMATCH", "DUPLICATE_ID"]],
  [422, ["UNPROCESSABLE"]],
  [429, ["TOO_MANY_REQUESTS"]],
  [500, ["INTERNAL"]]
])

/** The error statuses of the table. 401 is not in it, because it has no envelope. */
export const tableStatuses: ReadonlyArray<number> = [...codesByStatus.keys()]

export const isTableStatus = (status: number): boolean => codesByStatus.has(status)

/** Returns the codes of a status; empty if the table does not list the status. */
export const codesOf = (status: number): ReadonlyArray<string> => codesByStatus.get(status) ?? []

/** Returns the status of a code, or undefined if the table does not list the code. */
export const statusOfCode = (code: string): number | undefined =>
  tableStatuses.find((status) => codesOf(status).includes(code))
