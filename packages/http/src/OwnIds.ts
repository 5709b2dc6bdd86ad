/**
 * Makes a `fetch` that sends ids of the reader's own records in place of the ids in the examples. Writes get the id of
 * the last record that this `fetch` created, so a test request changes no other record. Reads also get the first record
 * of the list that the caller may see. `tell` gets a line about the request that was sent, or an empty text if it was not
 * changed.
 *
 * The reference page contains the source of this function, so it must not use anything outside itself.
 */
export const fetchWithOwnIds = (
  send: (request: Request) => Promise<Response>,
  examples: ReadonlyArray<string>,
  tell: (line: string) => void
): ((input: RequestInfo | URL, init?: RequestInit) => Promise<Response>) => {
  /** By the prefix of the ids, such as `wkr_`. */
  const created = new Map<string, string>()
  const prefixOf = (id: string): string => id.replace(/[^_:]*$/, "")
  const ownOf = (example: string): string | undefined => created.get(prefixOf(example))

  const firstOf = async (collection: string, { headers, signal }: Request): Promise<string | undefined> => {
    const answer = await send(new Request(`${collection}?pageSize=1`, { headers, signal }))
    const id = answer.ok ? (await answer.json()).data?.[0]?.id : undefined
    return typeof id === "string" ? id : undefined
  }

  const withOwnPath = async (request: Request): Promise<string> => {
    const { origin, pathname, search } = new URL(request.url)
    let url = origin
    for (const part of pathname.split("/").slice(1)) {
      const example = decodeURIComponent(part)
      const isExample = examples.includes(example)
      const own = isExample
        ? (ownOf(example) ?? (request.method === "GET" && (await firstOf(url, request))))
        : undefined
      url += `/${own ? encodeURIComponent(own) : part}`
    }
    return url + search
  }

  const withOwnBody = (text: string): string =>
    examples.reduce((rest, example) => {
      const own = example.includes("_") ? ownOf(example) : undefined
      return own === undefined ? rest : rest.replaceAll(example, own)
    }, text)

  const learn = async ({ url }: Request, answer: Response): Promise<void> => {
    if (!answer.ok || !answer.headers.get("content-type")?.includes("json")) return
    const body = await answer.clone().json()
    // The number in the path of POST /users/{id}/token has no prefix.
    if (url.endsWith("/users/me")) created.set("", String(body.id))
    if (answer.status !== 201) return
    for (const value of [body.data?.id, body.data?.clientSecret]) {
      if (typeof value === "string" && value.includes("_")) created.set(prefixOf(value), value)
    }
  }

  return async (input, init) => {
    const request = new Request(input, init)
    const { headers, method, signal } = request
    const text = await request.clone().text()
    const body = withOwnBody(text)
    const url = await withOwnPath(request)
    const isSame = url === request.url && body === text
    const sent = isSame ? request : new Request(url, { method, headers, signal, ...(body === "" ? {} : { body }) })
    tell(isSame ? "" : `Sent with ids of your own records: ${method} ${new URL(url).pathname}`)
    const answer = await send(sent)
    await learn(sent, answer)
    return answer
  }
}
