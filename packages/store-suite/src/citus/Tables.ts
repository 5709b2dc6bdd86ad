import { loadModule, parseSync } from "libpg-query"

// What a statement does with tables, by the parser of Postgres.

await loadModule()

/** A table of a statement. */
export interface Use {
  readonly table: string
  /** The value of its column `tenant_id`: a parameter such as `$1`, or a literal. Undefined if no condition gives one. */
  readonly tenant: string | undefined
  /** The FROM that has the table. */
  readonly level: number
  /** Tables of a FROM with the same group have the same tenant. */
  readonly group: number
}

/** The parts of a statement that decide where it can run. */
export interface Shape {
  readonly uses: ReadonlyArray<Use>
  readonly isRecursive: boolean
  /** Whether a query within the statement refers to rows of a query around it. */
  readonly isCorrelated: boolean
  readonly locksRows: boolean
  /** Whether it reads or compares the physical location of a row. */
  readonly usesPlace: boolean
  /** The number of queries within the statement that read tables, itself not counted. */
  readonly subqueries: number
  /** Whether an INSERT has a subquery among its values or conditions that reads a table. */
  readonly insertsSubquery: boolean
  readonly writes: boolean
  /** Whether a WITH has an INSERT. */
  readonly insertsInWith: boolean
  /** Whether an UPDATE or a DELETE takes values from something else than its tables, such as a list. */
  readonly writesFromList: boolean
}

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null

const nodeIn = (value: unknown, ...path: ReadonlyArray<string>): Node | undefined => {
  const found = path.reduce<unknown>((at, key) => (isNode(at) ? at[key] : undefined), value)
  return isNode(found) ? found : undefined
}

const listIn = (value: unknown, key: string): ReadonlyArray<unknown> => {
  const found = isNode(value) ? value[key] : undefined
  return Array.isArray(found) ? found : []
}

/** The names of a column: `["r", "tenant_id"]`. */
const columnOf = (value: unknown): ReadonlyArray<string> | undefined => {
  const column = nodeIn(value, "ColumnRef")
  return column && listIn(column, "fields").map((field) => String(nodeIn(field, "String")?.["sval"]))
}

/** A parameter or a literal, also in a CAST. */
const constantOf = (value: unknown): string | undefined => {
  const cast = nodeIn(value, "TypeCast")
  if (cast !== undefined) return constantOf(cast["arg"])
  const param = nodeIn(value, "ParamRef")
  if (param !== undefined) return `$${param["number"]}`
  const literal = nodeIn(value, "A_Const", "sval")
  return literal === undefined ? undefined : `'${literal["sval"]}'`
}

const conjunctsOf = (value: unknown): ReadonlyArray<unknown> => {
  const bool = nodeIn(value, "BoolExpr")
  if (bool?.["boolop"] === "AND_EXPR") return listIn(bool, "args").flatMap(conjunctsOf)
  return value === undefined ? [] : [value]
}

/** The tables of one FROM, and which of them have the same tenant. */
class Level {
  readonly #names: Array<{ readonly table: string; readonly alias: string }> = []
  readonly #links: Array<readonly [string, string]> = []
  readonly inserts: Array<{ readonly table: string; readonly tenant: string | undefined }> = []
  /** The names of all sources of rows, tables or not. */
  readonly sources = new Set<string>()
  readonly around: Level | undefined

  constructor(around?: Level) {
    this.around = around
  }

  /** Whether a name is one of a source of a query around this one. */
  isFromAround(name: string): boolean {
    if (this.sources.has(name)) return false
    for (let level = this.around; level !== undefined; level = level.around) if (level.sources.has(name)) return true
    return false
  }

  add(table: string, alias: string): void {
    this.#names.push({ table, alias })
  }

  get aliases(): ReadonlyArray<string> {
    return this.#names.map(({ alias }) => alias)
  }

  /** Notes an equality of two tenants, if an expression is one. */
  link(expression: unknown): void {
    const equality = nodeIn(expression, "A_Expr")
    if (equality?.["kind"] !== "AEXPR_OP") return
    if (nodeIn(listIn(equality, "name")[0], "String")?.["sval"] !== "=") return
    const [left, right] = [this.#sideOf(equality["lexpr"]), this.#sideOf(equality["rexpr"])]
    if (left !== undefined && right !== undefined) this.#links.push([left, right])
  }

  #sideOf(value: unknown): string | undefined {
    const column = columnOf(value)
    if (column === undefined) return constantOf(value)
    if (column.at(-1) !== "tenant_id") return undefined
    const alias = column.length > 1 ? column.at(-2) : this.#names[0]?.alias
    return alias !== undefined && this.aliases.includes(alias) ? `.${alias}` : undefined
  }

  /** Joins by USING (tenant_id). */
  linkAll(): void {
    const [first, ...others] = this.aliases
    for (const other of others) this.#links.push([`.${first}`, `.${other}`])
  }

  /** All names that are linked to one, itself included. */
  #sameAs(name: string): ReadonlySet<string> {
    const found = new Set([name])
    for (let size = 0; size < found.size; ) {
      size = found.size
      for (const [left, right] of this.#links) {
        if (found.has(left)) found.add(right)
        if (found.has(right)) found.add(left)
      }
    }
    return found
  }

  tenantOf(alias: string): string | undefined {
    return [...this.#sameAs(`.${alias}`)].find((name) => !name.startsWith("."))
  }

  uses(number: number): ReadonlyArray<Use> {
    const aliases = this.aliases
    const own = this.#names.map(({ alias, table }) => {
      const same = this.#sameAs(`.${alias}`)
      const first = aliases.findIndex((other) => same.has(`.${other}`))
      return { table, tenant: this.tenantOf(alias), level: number, group: first }
    })
    return [...own, ...this.inserts.map((insert) => ({ ...insert, level: number, group: -1 }))]
  }
}

const statements = ["SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt"]

class Reader {
  readonly levels: Array<Level> = []
  readonly #tableExpressions = new Set<string>()
  isRecursive = false
  isCorrelated = false
  locksRows = false
  usesPlace = false
  insertsSubquery = false
  writes = false
  insertsInWith = false
  writesFromList = false

  /** Reads a node. `insert` is whether a subquery of it would be one of an INSERT. */
  read(value: unknown, level: Level, insert: boolean): void {
    if (Array.isArray(value)) for (const each of value) this.read(each, level, insert)
    if (!isNode(value) || Array.isArray(value)) return
    for (const [key, child] of Object.entries(value)) {
      if (statements.includes(key)) this.readStatement(key, child, insert, level)
      else if (key === "RangeVar") this.addTable(child, level)
      else if (key === "JoinExpr") this.readJoin(child, level, insert)
      else if (key === "SubLink") this.readSublink(child, level, insert)
      else if (key === "ColumnRef") this.readColumn(columnOf(value) ?? [], level)
      else {
        if (key === "alias") level.sources.add(String(nodeIn(child)?.["aliasname"]))
        this.read(child, level, insert)
      }
    }
  }

  readColumn(column: ReadonlyArray<string>, level: Level): void {
    if (column.at(-1) === "ctid") this.usesPlace = true
    if (column.length > 1 && level.isFromAround(String(column.at(-2)))) this.isCorrelated = true
  }

  addTable(value: unknown, level: Level): void {
    const name = String(nodeIn(value)?.["relname"])
    level.sources.add(String(nodeIn(value, "alias")?.["aliasname"] ?? name))
    if (this.#tableExpressions.has(name)) return
    level.add(name, String(nodeIn(value, "alias")?.["aliasname"] ?? name))
  }

  readJoin(value: unknown, level: Level, insert: boolean): void {
    const { quals, usingClause, ...sides } = nodeIn(value) ?? {}
    this.read(sides, level, insert)
    if (listIn({ usingClause }, "usingClause").some((name) => nodeIn(name, "String")?.["sval"] === "tenant_id")) {
      level.linkAll()
    }
    for (const each of conjunctsOf(quals)) level.link(each)
    this.read(quals, level, insert)
  }

  readSublink(value: unknown, level: Level, insert: boolean): void {
    const before = this.tables
    this.read(value, level, insert)
    if (insert && this.tables > before) this.insertsSubquery = true
  }

  get tables(): number {
    return this.levels.reduce((sum, level) => sum + level.aliases.length, 0)
  }

  readStatement(kind: string, value: unknown, insert: boolean, around: Level): void {
    const statement = nodeIn(value) ?? {}
    const {
      fromClause,
      larg,
      lockingClause,
      rarg,
      relation,
      selectStmt,
      usingClause,
      whereClause,
      withClause,
      ...rest
    } = statement
    const level = new Level(around)
    this.levels.push(level)
    this.readTableExpressions(withClause, insert)
    if (kind !== "SelectStmt") this.writes = true
    if (lockingClause !== undefined) this.locksRows = true
    if (kind === "InsertStmt") this.readInsert(statement, level)
    else this.addTarget(relation, level)
    for (const arm of [larg, rarg]) if (arm !== undefined) this.readStatement("SelectStmt", arm, insert, around)
    for (const from of [fromClause, usingClause]) this.read(from, level, insert)
    if (kind !== "SelectStmt" && (fromClause ?? usingClause) !== undefined) this.writesFromList = true
    for (const each of conjunctsOf(whereClause)) level.link(each)
    this.read([whereClause, rest], level, insert || kind === "InsertStmt")
  }

  addTarget(relation: unknown, level: Level): void {
    if (relation !== undefined) this.addTable(relation, level)
  }

  readTableExpressions(withClause: unknown, insert: boolean): void {
    if (nodeIn(withClause)?.["recursive"] === true) this.isRecursive = true
    for (const each of listIn(withClause, "ctes")) {
      const expression = nodeIn(each, "CommonTableExpr")
      if (this.isRecursive) this.#tableExpressions.add(String(expression?.["ctename"]))
      if (nodeIn(expression, "ctequery", "InsertStmt") !== undefined) this.insertsInWith = true
      this.read(expression?.["ctequery"], new Level(), insert)
      this.#tableExpressions.add(String(expression?.["ctename"]))
    }
  }

  /** An INSERT has the tenant of its rows among the values, or as a column of its SELECT. */
  readInsert(statement: Node, level: Level): void {
    const place = listIn(statement, "cols").findIndex((column) => nodeIn(column, "ResTarget")?.["name"] === "tenant_id")
    const select = nodeIn(statement["selectStmt"], "SelectStmt")
    const before = this.levels.length
    this.readStatement("SelectStmt", select, true, new Level())
    const source = this.levels[before]
    const lists = listIn(select, "valuesLists").map((list) => listIn(nodeIn(list, "List"), "items")[place])
    const column = nodeIn(listIn(select, "targetList")[place], "ResTarget")?.["val"]
    const values = lists.length > 0 ? lists : [column]
    const tenants = new Set(values.map((value) => constantOf(value) ?? this.#tenantOfColumn(value, source)))
    const [tenant] = tenants
    level.inserts.push({
      table: String(nodeIn(statement, "relation")?.["relname"]),
      tenant: tenants.has(undefined) || tenants.size === 0 ? undefined : tenant
    })
  }

  #tenantOfColumn(value: unknown, source: Level | undefined): string | undefined {
    const column = columnOf(value)
    if (column?.at(-1) !== "tenant_id" || source === undefined) return undefined
    return source.tenantOf(column.length > 1 ? String(column.at(-2)) : String(source.aliases[0]))
  }
}

/** Reads a statement. Fails if Postgres could not parse it. */
export const shapeOf = (text: string): Shape => {
  const reader = new Reader()
  reader.read(
    listIn(parseSync(text), "stmts").map((each) => nodeIn(each, "stmt")),
    new Level(),
    false
  )
  return {
    uses: reader.levels.flatMap((level, number) => level.uses(number + 1)),
    isRecursive: reader.isRecursive,
    isCorrelated: reader.isCorrelated,
    locksRows: reader.locksRows,
    usesPlace: reader.usesPlace,
    subqueries: Math.max(0, reader.levels.filter(({ aliases }) => aliases.length > 0).length - 1),
    insertsSubquery: reader.insertsSubquery,
    writes: reader.writes,
    insertsInWith: reader.insertsInWith,
    writesFromList: reader.writesFromList
  }
}
