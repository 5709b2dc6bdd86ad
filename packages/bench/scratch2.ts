import { mkdtempSync, rmSync } from "node:fs"
import { Processes } from "./src/load/Processes.ts"
import { makeFair } from "./src/measurements/Fairness.ts"
import { send } from "./src/load/Request.ts"
const dir = mkdtempSync("/dev/shm/lists-")
const processes = new Processes(undefined, "/tmp/lists-prof")
let n = 0
try {
  const fair = await makeFair({ place: () => `${dir}/data-${n++}`, processes } as never, { rows: 2000, credentials: 60000, crowds: 50, crowded: 60000 }, "timed")
  const [a, b] = fair.ids("workers", 2)
  const ids = fair.ids("credentials", 500)
  const post = async (path: string, body: unknown) => { await fair.server.steps(); const g = await send(fair.server.port, { method: "POST", path, body, token: fair.token }); const s = await fair.server.steps(); console.log(path, g.status, g.text.slice(0, 100), s.longestMillis.toFixed(1), s.rows, s.written) }
  const get = async (path: string) => { await fair.server.steps(); const g = await send(fair.server.port, { method: "GET", path, token: fair.token }); const s = await fair.server.steps(); console.log(path, g.status, s.longestMillis.toFixed(1)) }
  for (let i = 0; i < 8; i++) { await get("/openapi/v1/identity-providers?pageSize=100"); await get("/openapi/v1/credentials?pageSize=100"); await get("/openapi/v1/compliance-matrix?pageSize=50") ;
    await post("/openapi/v1/credentials/link", { to: { type: "applicant", id: fair.ids("applicants", 9)[i] }, credentialIds: ids })
    const owners = [a, b]
  }
  await fair.server.stop()
} finally { processes.kill(); rmSync(dir, { recursive: true, force: true }) }
