/** A part of the one walk over the scenarios of a request. Each method is called once per scenario or turn. */
export interface ScenarioVisitor<Scenario extends WalkedScenario> {
  enter?(scenario: Scenario, pointer: string): void;
  turn?(turn: Scenario["interactions"][number], pointer: string, index: number): void;
  /** Called after the turns of the scenario. */
  leave?(scenario: Scenario, pointer: string): void;
}

export interface WalkedScenario {
  readonly interactions: readonly unknown[];
}

/** Walks a batch of scenarios once, with all visitors. Pointers are those of `test_batch` in a request. */
export function walkScenarios<Scenario extends WalkedScenario>(
  batch: Scenario | readonly Scenario[],
  visitors: readonly ScenarioVisitor<Scenario>[],
): void {
  const several = Array.isArray(batch);
  const scenarios: readonly Scenario[] = several ? batch : [batch as Scenario];
  for (const [index, scenario] of scenarios.entries()) {
    const pointer = several ? `/test_batch/${index}` : "/test_batch";
    for (const visitor of visitors) visitor.enter?.(scenario, pointer);
    for (const [turn, interaction] of scenario.interactions.entries()) {
      const at = `${pointer}/interactions/${turn}`;
      for (const visitor of visitors) visitor.turn?.(interaction, at, turn);
    }
    for (const visitor of visitors) visitor.leave?.(scenario, pointer);
  }
}
