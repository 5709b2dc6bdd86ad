import { DatabaseSync } from "node:sqlite"
import { type Bench, serverOn } from "./Bench.ts"
import { applicants, type Dataset, storeFile } from "./Dataset.ts"
import { idAt } from "./Ids.ts"
import type { Server } from "./Processes.ts"
import type { Row } from "./Row.ts"
import { interleaved, meanGroup, perSecond, type Sample, sampleOf } from "./Series.ts"

const clients = 32

/** Counts what a side has written down: each answer of 200 must have its audit entry, and a change behind it. */
const auditedLinks = ({ directory }: Dataset): number => {
  using database = new DatabaseSync(storeFile(directory), { readOnly: true })
  const { linked } = database
    .prepare(`SELECT count(*) AS linked FROM audit_event AS a
      JOIN credential AS c ON c.tenant_id = a.tenant_id AND c.id = a.entity_id
      WHERE a.action = 'link' AND c.version = 2 AND c.applicant_id <> ''`)
    .get() ?? { linked: 0 }
  return Number(linked)
}

/** One side that links, each credential once. */
class Linker {
  readonly #bench: Bench
  readonly #data: Dataset
  readonly #server: Server
  #linked = 0
  #turnsLeft: number

  constructor(bench: Bench, { data, server }: { readonly data: Dataset; readonly server: Server }) {
    this.#bench = bench
    this.#data = data
    this.#server = server
    this.#turnsLeft = bench.plan.rounds + 1
  }

  /** Links fresh credentials for a while, or until this turn's share of them is used up. */
  async link(millis: number): Promise<Sample> {
    const { client } = this.#bench
    const share = Math.floor((this.#data.credentials - this.#linked) / this.#turnsLeft--)
    const keys = Array.from({ length: share }, (_, n) => {
      const nth = this.#linked + n
      return [idAt("credential", nth), idAt("applicant", nth % applicants)]
    })
    const job = {
      token: this.#data.token.secret,
      connections: clients,
      template: {
        method: "POST",
        path: "/openapi/v1/credentials/$0/link",
        body: '{"type":"applicant","id":"$1"}'
      },
      keys,
      repeats: false,
      millis,
      expected: '"applicant":"$1"}'
    } as const
    const sample = await sampleOf(this.#server, client, job, perSecond)
    this.#linked += sample.load.requests
    return sample
  }

  /** Ends the server, and looks whether everything that it answered is there. */
  async finish(): Promise<void> {
    await this.#server.stop()
    const found = auditedLinks(this.#data)
    if (found !== this.#linked) throw new Error(`${this.#linked} links were answered, and ${found} are stored`)
  }
}

/** `POST /credentials/{id}/link`, durable: ours, ours with groups of one, and Fastify with one COMMIT each. */
export const measureLinking = async (bench: Bench, dataset: Dataset): Promise<ReadonlyArray<Row>> => {
  const { plan, say } = bench
  say(`linking, ${clients} clients: ours, groups of one, Fastify`)
  const ours = new Linker(bench, await serverOn(bench, dataset, "ours"))
  const single = new Linker(bench, await serverOn(bench, dataset, "single"))
  const fastify = new Linker(bench, await serverOn(bench, dataset, "fastify"))

  for (const side of [ours, single, fastify]) await side.link(plan.warmUpMillis)
  const series = await interleaved(plan.rounds, "/s", {
    ours: () => ours.link(plan.roundMillis),
    "groups of one": () => single.link(plan.roundMillis),
    Fastify: () => fastify.link(plan.roundMillis)
  })
  for (const side of [ours, single, fastify]) await side.finish()

  const what = `POST /credentials/{id}/link, durable, ${clients} clients`
  const groups = `mean group ${meanGroup(series("ours")).toFixed(1)}`
  const other = (of: "groups of one" | "Fastify") => `${groups}, theirs ${meanGroup(series(of)).toFixed(1)}`
  return [
    {
      what,
      against: "our server, groups of one",
      ours: series("ours"),
      other: series("groups of one"),
      goal: { direction: "at least", bar: 3, aim: 4 },
      note: other("groups of one")
    },
    {
      what,
      against: "Fastify, a COMMIT each",
      ours: series("ours"),
      other: series("Fastify"),
      goal: { direction: "at least", bar: 1.5, aim: 3 },
      note: other("Fastify")
    }
  ]
}
