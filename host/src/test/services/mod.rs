//! Systems that serve, from the outside: HTTP from this machine, and what becomes of it when parts of the system are killed; what is on
//! a disk after a reboot or without power.

mod cable;
mod clients;
mod confined;
mod disk;
mod extended;
mod failing;
mod http;
mod kills;
mod name_servers;
mod ntp;
mod paging;
mod router;
mod running;
mod sockets;
mod tls;
mod updates;

use super::{Job, Own, Wanted};
use std::path::Path;

const TESTS: &[Own] = &[
    ("http_answers_with_the_right_bytes", http::bytes),
    ("http_answers_each_of_a_crowd", http::crowd),
    ("http_clients_that_ask_nothing_more_give_way", http::give_way),
    ("http_answers_software_that_nobody_here_wrote", clients::answered),
    ("https_answers_who_speaks_it", tls::answered),
    ("https_is_there_for_others_while_it_is_attacked", tls::attacked),
    ("https_needs_a_key_and_its_certificate", tls::identity),
    ("parts_that_are_fault_domains_serve_and_come_back", confined::appliance),
    ("frames_go_where_extensions_say", extended::frames),
    ("extensions_that_end_and_hosts_that_end", extended::ends),
    ("killed_parts_come_back", kills::memory),
    ("killed_parts_come_back_with_files_on_a_disk", kills::disk),
    ("what_was_synced_is_there_after_the_disks_parts_were_killed", kills::writes),
    ("c_programs_have_sockets_and_the_disk", sockets::program),
    ("exhaust_sockets_and_files_of_the_disk", sockets::exhausted),
    ("drivers_are_replaced_while_they_are_used", sockets::drivers),
    ("every_allocation_of_the_disk_can_fail", failing::disk),
    ("every_allocation_of_the_internet_component_can_fail", failing::internet),
    ("every_allocation_of_the_http_server_can_fail", failing::http),
    ("every_allocation_of_the_https_server_can_fail", failing::https),
    ("every_allocation_of_the_web_console_can_fail", failing::webconsole),
    ("every_allocation_of_init_can_fail", failing::init),
    ("every_allocation_of_a_fault_domain_can_fail", failing::fault_domain),
    ("what_is_on_the_disk_is_there_after_a_reboot", disk::reboot),
    ("exhaust_disk", disk::exhausted),
    ("who_writes_much_lets_others_read", disk::shared),
    ("links_of_a_disk", disk::links),
    ("links_in_the_shell", disk::links_in_the_shell),
    ("a_disk_with_something_else_on_it", disk::unfit),
    ("files_of_the_disk_are_locked", disk::locks),
    ("the_appliance_of_the_book_counts_on", disk::appliance),
    ("what_was_synced_is_there_after_power_cuts", disk::power_cuts),
    ("more_memory_than_there_is_lies_on_the_disk", paging::larger),
    ("memory_that_two_machines_share_is_one", paging::two_machines),
    ("a_network_on_which_nobody_answers_stops_nobody", cable::silent),
    ("names_are_found_whatever_habits_name_servers_have", name_servers::habits),
    ("updates_are_taken_and_taken_back", updates::taken),
    ("updates_that_fail_are_taken_back", updates::failed),
    ("updates_are_refused", updates::refused),
    ("updates_at_power_cuts_are_the_old_version_or_the_new", updates::power_cuts),
    ("the_clock_is_what_a_server_of_ntp_says_unless_it_lies", ntp::clock),
    ("a_server_of_ntp_says_how_often_it_is_asked", ntp::kisses),
];

pub fn jobs<'a>(root: &'a Path, wanted: Wanted) -> Vec<Job<'a>> {
    super::own("services", TESTS, root, wanted)
}
