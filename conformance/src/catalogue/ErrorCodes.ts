/** The table of §7.1: each error status that the envelope knows, and the codes that stand at it. */
const codesByStatus: ReadonlyMap<number, ReadonlyArray<string>> = new Map([
  [400, ["INVALID_ARGUMENT", "BAD_REQUEST", "INVALID_URN"]],
  [403, ["FORBIDDEN"]],
  [404, ["NOT_FOUND"]],
  [409, ["ALREADY_LINKED", "OWNER_MISMATCH", "DUPLICATE_ID"]],
  [422, ["UNPROCESSABLE"]],
  [429, ["TOO_MANY_REQUESTS"]],
  [500, ["INTERNAL"]]
])

/** The error statuses of the table. The 401 is not among them: it has no envelope. */
export const tableStatuses: ReadonlyArray<number> = [...codesByStatus.keys()]

export const isTableStatus = (status: number): boolean => codesByStatus.has(status)

/** The codes that may stand at a status; none for one that the table does not list. */
export const codesOf = (status: number): ReadonlyArray<string> => codesByStatus.get(status) ?? []

/** The status at which a code stands; undefined for a code of the deployment's own. */
export const statusOfCode = (code: string): number | undefined =>
  tableStatuses.find((status) => codesOf(status).includes(code))
