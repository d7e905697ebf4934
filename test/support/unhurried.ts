/** A busy machine must not make a service refuse what a test asks for. */
export const unhurried = { REHEARSAL_SHED_EVENT_LOOP_LAG_MS: "60000" };
