#include "projector/audit/verifier.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <tuple>
#include <utility>

#include "common/ports/applied_reader.h"
#include "projector/audit/section_scan.h"
#include "projector/audit/settled_snapshot.h"

namespace fanfold::projector {
namespace {

// The slots of a partition in groups of about as many records as may be folded at a time.
std::vector<std::set<Slot>> SlotGroups(Partition partition, const Placement& placement,
                                       std::int64_t records) {
  const std::int64_t slots = kSlots / placement.partitions();
  const std::int64_t groups =
      std::clamp<std::int64_t>(records / Verifier::kFoldRecordsMax + 1, 1, slots);
  std::vector<std::set<Slot>> grouped(static_cast<std::size_t>(groups));
  for (std::int32_t i = 0; i < slots; ++i) {
    grouped[static_cast<std::size_t>(i % groups)].insert(
        Slot(partition.value + i * placement.partitions()));
  }
  return grouped;
}

}  // namespace

Result<VerifyReport> Verifier::All() {
  report_ = {};
  Result<std::vector<Section>> sections = ScanAll();
  if (!sections) return Forward(sections);
  return Judge(std::move(*sections));
}

Result<VerifyReport> Verifier::Of(const std::set<UserId>& users) {
  report_ = {};
  Result<std::vector<Section>> sections = ScanUsers(users);
  if (!sections) return Forward(sections);
  return Judge(std::move(*sections));
}

Result<std::unique_ptr<TableSnapshot>> Verifier::OpenSnapshot(Shard shard) const {
  return OpenSettled(ports_, shard, projections_, generations_);
}

Result<std::vector<Section>> Verifier::ScanAll() {
  std::vector<Section> sections;
  for (std::int32_t s = 0; s < ports_.placement.shards(); ++s) {
    for (const Projection projection : projections_) {
      UserRange rest;
      while (true) {
        Result<std::unique_ptr<TableSnapshot>> snapshot = OpenSnapshot(Shard(s));
        if (!snapshot) return Forward(snapshot);
        Result<Section> section = Scan(**snapshot, projection, Shard(s), {rest}, section_rows_max_);
        if (!section) return Forward(section);
        sections.push_back(std::move(*section));
        const UserId last = sections.back().users.back().last;
        if (last == rest.last) break;
        rest.first = UserId(last.value + 1);
      }
    }
  }
  return sections;
}

Result<std::vector<Section>> Verifier::ScanUsers(const std::set<UserId>& users) {
  std::vector<Section> sections;
  for (std::int32_t s = 0; s < ports_.placement.shards(); ++s) {
    std::vector<UserRange> of_shard;
    for (const UserId user : users) {
      if (ports_.placement.ShardOf(user) == Shard(s)) of_shard.push_back({user, user});
    }
    if (of_shard.empty()) continue;
    Result<std::unique_ptr<TableSnapshot>> snapshot = OpenSnapshot(Shard(s));
    if (!snapshot) return Forward(snapshot);
    for (const Projection projection : projections_) {
      Result<Section> section = Scan(**snapshot, projection, Shard(s), of_shard, SIZE_MAX);
      if (!section) return Forward(section);
      sections.push_back(std::move(*section));
    }
  }
  return sections;
}

Result<Section> Verifier::Scan(TableSnapshot& snapshot, Projection projection, Shard shard,
                               std::vector<UserRange> users, std::size_t rows_max) {
  Section section{
      .projection = projection, .shard = shard, .users = std::move(users), .positions = {}};
  const SectionScanOptions options{.generations = generations_,
                                   .rows_max = rows_max,
                                   .wrong_count = [this](const Difference& wrong) { Note(wrong); }};
  Status scanned = ScanSection(snapshot, ports_.placement, options, ports_.pace, section);
  if (scanned && projection.decides()) scanned = NoteOutbox(snapshot, projection);
  if (!scanned) return Forward(scanned);
  return section;
}

// What was decided at the moment of the snapshot and is perhaps never published, should nobody run.
Status Verifier::NoteOutbox(TableSnapshot& snapshot, Projection decider) {
  Result<std::vector<OutboxRow>> rows = snapshot.Outbox(decider, generations_[decider]);
  if (!rows) return Forward(rows);
  std::map<Partition, std::vector<OutboxRow>> now;
  for (OutboxRow& row : *rows) now[row.partition].push_back(std::move(row));
  for (auto& [partition, outbox] : now) {
    outbox_[{decider.stream(), partition}] = std::move(outbox);
  }
  return {};
}

Result<VerifyReport> Verifier::Judge(std::vector<Section> sections) {
  for (const Stream stream : Stream::All()) {
    std::vector<Section> of_stream;
    for (Section& section : sections) {
      if (section.projection.stream() == stream) of_stream.push_back(std::move(section));
    }
    if (of_stream.empty()) continue;
    if (Status judged = JudgeStream(stream, std::move(of_stream)); !judged) return Forward(judged);
  }
  std::ranges::sort(report_.differences, {}, [](const Difference& difference) {
    return std::tuple(difference.projection, difference.user, difference.other);
  });
  return std::move(report_);
}

Status Verifier::JudgeStream(Stream stream, std::vector<Section> sections) {
  judged_.clear();
  std::ranges::copy_if(projections_, std::back_inserter(judged_),
                       [&](Projection projection) { return projection.stream() == stream; });
  reader_.reset();
  for (std::int32_t p = 0; p < ports_.placement.partitions(); ++p) {
    if (Status folded = FoldPartition(Partition(p), sections); !folded) return folded;
  }
  std::erase_if(sections, [](const Section& section) { return WrongSlots(section).empty(); });
  return DrillDown(sections);
}

Status Verifier::FoldPartition(Partition partition, std::vector<Section>& sections) {
  Result<LogBounds> bounds = ports_.log.Bounds(judged_.front().stream().applied(), partition);
  if (!bounds) return Forward(bounds);
  const std::int64_t records = bounds->end.value - bounds->begin.value;
  for (const std::set<Slot>& slots : SlotGroups(partition, ports_.placement, records)) {
    if (Status folded = FoldSlots(partition, slots, sections); !folded) return folded;
  }
  return {};
}

Status Verifier::FoldSlots(Partition partition, const std::set<Slot>& slots,
                           std::vector<Section>& sections) {
  const SectionIndex index(sections, ports_.placement);
  std::vector<bool> reached(sections.size());
  const auto move = [&](const RecordKey& key, const RowState& before, const RowState& after) {
    const auto slot = static_cast<std::size_t>(SlotOf(key.subject).value);
    for (const Projection projection : judged_) {
      const auto section = index.Of(projection, key);
      if (!section || reached[*section]) continue;
      RowSetDigest& digest = sections[*section].expected[slot];
      digest.Remove(key, before);
      digest.Add(key, after);
    }
  };
  RowFold fold(KindOf(judged_.front()), ThresholdsOf(sections, partition),
               [&](const RecordKey& key) {
                 return slots.contains(SlotOf(key.subject)) &&
                        std::ranges::any_of(judged_, [&](Projection projection) {
                          return index.Of(projection, key).has_value();
                        });
               },
               {move, [&](std::size_t section, const RowFold::Rows&) { reached[section] = true; }});
  const Result<Offset> known = FoldInto(partition, fold);
  if (!known) return std::unexpected(known.error());
  for (const Threshold& threshold : fold.beyond()) {
    Section& section = sections[threshold.section];
    if (slots.contains(Slot(partition.value))) NoteBeyond(section, partition, *known);
    for (const Slot slot : slots) {
      const auto at = static_cast<std::size_t>(slot.value);
      section.expected[at] = section.found[at];  // nothing can be said of them
    }
  }
  return {};
}

// All that topic and outbox have of a partition; returns the first event that they do not have.
Result<Offset> Verifier::FoldInto(Partition partition, RowFold& fold) {
  const Projection one = judged_.front();
  if (reader_ == nullptr) {
    Result<std::unique_ptr<LogReader>> reader = NewAppliedReader(ports_.log, one.stream());
    if (!reader) return Forward(reader);
    reader_ = std::move(*reader);
  }
  fold.ReachedTo(Offset(0));
  RecordScan scan(one, ports_.log, *reader_, ports_.pace, ports_.placement.partitions(), partition);
  const auto take = [&](const SaidRecord& said, const LogRecord&) { fold.Take(said); };
  if (Status read = scan.ReadOn(take); !read) return Forward(read);
  scan.ReadOutbox(outbox_[{one.stream(), partition}], take);
  return scan.next_event();
}

void Verifier::NoteBeyond(const Section& section, Partition partition, Offset known) {
  const std::string lane = fmt::format("{}/{} ", ToString(section.projection), partition.value);
  const bool said = std::ranges::any_of(report_.differences, [&](const Difference& difference) {
    return difference.kind == DifferenceKind::kNotInTopics && difference.shard == section.shard &&
           difference.detail.starts_with(lane);
  });
  if (said) return;
  Note({DifferenceKind::kNotInTopics, section.projection, section.shard, UserId(0), UserId(0),
        fmt::format("{}on shard {} has folded events below {}, the topics hold outcomes below {}",
                    lane, section.shard.value,
                    section.positions[static_cast<std::size_t>(partition.value)].value,
                    known.value)});
}

void Verifier::Note(const Difference& difference) {
  ++report_.found;
  if (report_.differences.size() < kDifferencesMax) report_.differences.push_back(difference);
}

// Sections that differ are read again, and compared row by row, as many at a time as fit.
Status Verifier::DrillDown(const std::vector<Section>& sections) {
  RowComparison comparison(ports_.placement);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Section& flagged = sections[i];
    const std::size_t at = comparison.Add(flagged, WrongSlots(flagged));
    const SectionScanOptions options{
        .generations = generations_,
        .wrong_count = [](const Difference&) {},  // told already
        .row = [&](const RowImage& row) { comparison.AddRow(at, row); }};
    Result<std::unique_ptr<TableSnapshot>> snapshot = OpenSnapshot(flagged.shard);
    if (!snapshot) return Forward(snapshot);
    Status scanned =
        ScanSection(**snapshot, ports_.placement, options, ports_.pace, comparison.SectionAt(at));
    if (scanned && flagged.projection.decides())
      scanned = NoteOutbox(**snapshot, flagged.projection);
    if (!scanned) return scanned;
    if (comparison.rows() < kDrillRowsMax && i + 1 < sections.size()) continue;
    if (Status compared = Compare(comparison); !compared) return compared;
    comparison = RowComparison(ports_.placement);
  }
  return {};
}

Status Verifier::Compare(RowComparison& comparison) {
  for (const Partition partition : comparison.Partitions()) {
    RowFold fold = comparison.NewFold(partition, [this](const Difference& found) { Note(found); });
    Result<Offset> scanned = FoldInto(partition, fold);
    if (!scanned) return Forward(scanned);
  }
  return {};
}

}  // namespace fanfold::projector
