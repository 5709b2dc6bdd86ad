import type { OwnerReference } from "@wcs/domain/ownership/Ownership"
import type { Answer, Send } from "./Connection.ts"
import type { Command, Exchange, History, ShownDocument } from "./History.ts"
import { oneOf, type Random, randomFrom } from "./Rounds.ts"

/** The shared data of all clients. */
export interface Commons {
  readonly credentials: ReadonlyArray<string>
  readonly workers: ReadonlyArray<string>
  readonly applicants: ReadonlyArray<string>
}

/** Returns the document of a response. */
const shown = ({ body, status }: Answer): ShownDocument => {
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return (body as { readonly data: ShownDocument }).data
}

/** The connection was lost. The client stops. */
class Lost extends Error {}

/** The server failed. The effect of the call is unknown. */
class Failed extends Error {}

type Kind<Of extends Exchange> = Of extends Exchange ? Omit<Of, "answer"> : never

const bodies = {
  workers: (name: string) => ({ identity: { displayName: name } }),
  applicants: (name: string) => ({ displayName: name, emailAddress: `${name}@example.org` }),
  credentials: (name: string, holder: string) => ({
    attributes: { credentialType: "FIRST_AID", identifier: name, owners: { worker: holder } }
  })
}

/** A client with sequential calls that records each response. */
class Client {
  readonly #send: Send
  readonly #history: History
  readonly #random: Random
  readonly #name: string
  #count = 0

  constructor(send: Send, history: History, name: string, seed: number) {
    this.#send = send
    this.#history = history
    this.#name = name
    this.#random = randomFrom(seed)
  }

  /** Returns a unique name. */
  fresh(): string {
    return `${this.#name}-${++this.#count}`
  }

  chance(limit: number): number {
    return this.#random(limit)
  }

  choose<Item>(items: ReadonlyArray<Item>): Item {
    return oneOf(this.#random, items)
  }

  async exchange(exchange: Kind<Exchange>, method: string, path: string, body?: unknown): Promise<Answer> {
    this.#history.sent++
    const answer = await this.#send(method, path, body)
    if (answer === undefined) throw new Lost()
    if (answer.status >= 500) {
      this.#history.failures.push(answer)
      throw new Failed()
    }
    this.#history.exchanges.push({ ...exchange, answer } as Exchange)
    return answer
  }

  async create(collection: "workers" | "applicants"): Promise<string> {
    const name = this.fresh()
    const answer = await this.exchange({ kind: "create" }, "POST", `/${collection}`, bodies[collection](name))
    const { id } = shown(answer)
    this.#history.written.set(id, { acknowledged: name, sent: undefined })
    return id
  }

  async createCredential(holder: string): Promise<string> {
    const name = this.fresh()
    const body = bodies.credentials(name, holder)
    const { id } = shown(await this.exchange({ kind: "create" }, "POST", "/credentials", body))
    this.#history.written.set(id, { acknowledged: name, sent: undefined })
    return id
  }

  /** Changes the field that only this client writes. */
  async patch(collection: "workers" | "credentials", id: string): Promise<void> {
    const name = this.fresh()
    const written = this.#history.written.get(id)
    if (written === undefined) throw new Error(`${id} was never created`)
    written.sent = name
    const body = collection === "workers" ? { identity: { displayName: name } } : { attributes: { identifier: name } }
    await this.exchange({ kind: "patch" }, "PATCH", `/${collection}/${id}`, body)
    written.acknowledged = name
    written.sent = undefined
  }

  async remove(collection: "workers" | "credentials", id: string): Promise<void> {
    this.#history.deletions.set(id, false)
    await this.exchange({ kind: "delete", id }, "DELETE", `/${collection}/${id}`)
    this.#history.deletions.set(id, true)
  }

  async bulk(action: "link" | "transfer", ids: ReadonlyArray<string>, body: object): Promise<void> {
    this.#history.batchSent(ids)
    await this.exchange({ kind: "bulk" }, "POST", `/credentials/${action}`, body)
  }

  async changeOwner(id: string, command: Command): Promise<void> {
    const { action, ...body } = command
    await this.exchange({ kind: "changeOwner", id, command }, "POST", `/credentials/${id}/${action}`, body)
  }
}

/** Runs a random command on shared credentials. Most are refused or change nothing. */
const contend = (client: Client, commons: Commons): Promise<void> => {
  const owner = (): OwnerReference =>
    client.chance(2) === 0
      ? { type: "worker", id: client.choose(commons.workers) }
      : { type: "applicant", id: client.choose(commons.applicants) }
  const commands: ReadonlyArray<Command> = [
    { action: "link", to: owner() },
    { action: "unlink", from: owner() },
    { action: "transfer", from: owner(), to: owner() }
  ]
  return client.changeOwner(client.choose(commons.credentials), client.choose(commands))
}

const batchSize = 4

/** Credentials that only this client moves, always in a batch. */
const makeBatch = async (client: Client) => {
  const workers = [await client.create("workers"), await client.create("workers")]
  const applicants = [await client.create("applicants"), await client.create("applicants")]
  const [first = ""] = workers
  const ids: Array<string> = []
  while (ids.length < batchSize) ids.push(await client.createCredential(first))
  let isLinked = false
  return {
    ids,
    /** Moves all between the two workers or applicants. */
    move: async () => {
      const type = isLinked && client.chance(2) === 0 ? "applicant" : "worker"
      const pair = type === "worker" ? workers : applicants
      const [from = "", to = ""] = pair
      pair.reverse()
      const choice = client.chance(2) === 0 ? {} : { credentialIds: ids }
      await client.bulk("transfer", ids, { from: { type, id: from }, to: { type, id: to }, ...choice })
    },
    /** Links an applicant to all. Only once, because there is no bulk unlink. */
    link: async () => {
      if (isLinked) return
      await client.bulk("link", ids, { to: { type: "applicant", id: applicants[0] }, credentialIds: ids })
      isLinked = true
    }
  }
}

/** Makes calls until the connection is lost. */
const run = async (client: Client, commons: Commons): Promise<void> => {
  const worker = await client.create("workers")
  await contend(client, commons)
  const batch = await makeBatch(client)
  const actions: ReadonlyArray<() => Promise<unknown>> = [
    () => contend(client, commons),
    () => contend(client, commons),
    () => contend(client, commons),
    batch.move,
    batch.move,
    batch.link,
    () => client.patch("workers", worker),
    () => client.patch("credentials", client.choose(batch.ids)),
    async () => client.remove("credentials", await client.createCredential(worker)),
    async () => client.remove("workers", await client.create("workers")),
    () => client.exchange({ kind: "read" }, "GET", `/credentials/${client.choose(commons.credentials)}`)
  ]
  for (;;) await client.choose(actions)()
}

export interface LoadOptions {
  readonly clients: number
  readonly round: number
  /** Restarts clients after failures of the server, up to a number of failures. */
  readonly failuresMax: number
}

/** Runs parallel clients until the server is gone or a number of failures is reached. */
export const load = async (send: Send, history: History, commons: Commons, options: LoadOptions): Promise<void> => {
  const { clients, failuresMax, round } = options
  const failedBefore = history.failures.length
  const one = async (number: number): Promise<void> => {
    for (let life = 0; ; life++) {
      try {
        await run(new Client(send, history, `r${round}c${number}l${life}`, round * 1000 + number), commons)
      } catch (cause) {
        if (cause instanceof Lost) return
        if (!(cause instanceof Failed)) throw cause
        if (history.failures.length - failedBefore >= failuresMax) return
      }
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, number) => one(number)))
}

/** Creates the shared data of the clients. */
export const makeCommons = async (send: Send, history: History): Promise<Commons> => {
  const client = new Client(send, history, "commons", 0)
  const times = async <A>(count: number, make: () => Promise<A>): Promise<ReadonlyArray<A>> => {
    const made: Array<A> = []
    while (made.length < count) made.push(await make())
    return made
  }
  const workers = await times(4, () => client.create("workers"))
  const applicants = await times(4, () => client.create("applicants"))
  const [first = ""] = workers
  return { workers, applicants, credentials: await times(6, () => client.createCredential(first)) }
}
