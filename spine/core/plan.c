/* plan.c: carries out the log steps of a plan. All other steps are for the callers of core_decide. */
#include "core/answer_cache.h"
#include "core/core.h"
#include "gen/zwire.h"

bool plan_speaks(const struct wire_record *record)
{
    return record->id == WIRE_LOG || record->id == WIRE_LOG_LEVEL || record->id == WIRE_LOG_FILE;
}

void plan_step(struct instance *in, const struct wire_record *record)
{
    struct wire_log line;
    struct wire_log_level level;
    struct wire_log_file file;
    if (wire_get_log(record, &line))
        log_text(in, line.flags, line.text);
    else if (wire_get_log_level(record, &level))
        log_set_level(in, level.level);
    else if (in && wire_get_log_file(record, &file) && file.path)
        log_set_file(in, file.level, file.path);
}

void plan_log(struct instance *in, const struct plan *plan)
{
    struct wire_reader reader;
    struct wire_record record;
    if (!plan->round || !plan->round->speaks) return;
    wire_open(&reader, plan->bytes, plan->size);
    while (wire_next(&reader, &record)) plan_step(in, &record);
}
